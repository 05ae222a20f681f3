"""maxmargin puts the perceptron next to exact answers, and proves every answer."""
