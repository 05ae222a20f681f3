"""Methods, data and orders side by side: studies, their cells, and records that are judged by proof."""
