"""Plug-ins that behave, and plug-ins that do everything a method must not do; each test copies those it needs."""

GOOD = """
RANDOM = False
def fit(X, y, *, seed, time_limit, pause=0.0, scale=1.0):
    import time
    time.sleep(pause)
    w = scale * (X[y > 0].mean(axis=0) - X[y < 0].mean(axis=0))
    return {"w": w, "b": -w @ X.mean(axis=0), "claim": None, "n_mistakes": int(seed), "message": "means"}
"""

HOSTILE = {
    "segfault": "import ctypes; ctypes.string_at(0)",
    "hang": "import time; time.sleep(1000)",
    "stubborn": """
    import signal, time
    for number in (signal.SIGALRM, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM, signal.SIGTERM])
    time.sleep(1000)""",
    "greedy": """
    held = []
    while True:
        held.append(bytearray(1 << 24))""",
    "nan": "return {'w': [float('nan')] * X.shape[1], 'claim': 'separates'}",
    "long": "return {'w': [1.0] * (X.shape[1] + 1)}",
    "nothing": "return None",
    "strange": "return {'w': None, 'claim': 'it is fine'}",
    "rubbish": """
    import os
    os.write(1, bytes(range(256)) * 100)
    os.write(2, b'Traceback (most recent call last): not really' + bytes([10]))
    return {'w': None, 'claim': 'not separable'}""",
    "raises": "raise RuntimeError('with a line\\nbreak')",
    "leaves": "import os; os._exit(3)",
}

ENDINGS = {
    "segfault": "crashed", "hang": "timeout", "stubborn": "timeout", "greedy": "memory", "nan": "invalid",
    "long": "invalid", "nothing": "invalid", "strange": "invalid", "rubbish": "ok", "raises": "error",
    "leaves": "crashed",
}  # fmt: skip


def hostile(name: str) -> str:
    """Return the text of a hostile plug-in."""
    return f"def fit(X, y, *, seed, time_limit):\n    {HOSTILE[name].strip()}\n"
