"""A crawl as it grows: `python -m benchmarks.scale` drives it (`drive`) over a made web (`web`)."""
