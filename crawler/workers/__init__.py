"""Reader processes: pages are read in processes that may hang, crash or eat memory."""
