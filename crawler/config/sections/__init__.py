"""The sections of a job file: `reach`, `asking`, `reading`, `judging`, `keeping`."""
