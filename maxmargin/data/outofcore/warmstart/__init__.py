"""What an earlier process found, kept beside a file and never trusted."""
