"""What tests share: servers, worlds, victims, and material to judge by."""
