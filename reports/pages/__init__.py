"""What a page carries besides its text: the data, so that a reader's browser can check the proof."""
