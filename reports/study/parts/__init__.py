"""The parts of a study of two classes, one file each."""
