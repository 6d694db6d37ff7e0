# Runs after tool.py, inside bubblewrap: a job comes on stdin, its answer goes to descriptor 3, what it prints to stdout
# and stderr. The limits below are the process's own; everything else is kept out by bubblewrap (Bubblewrap.ts).
import resource

LIMITS = {
    resource.RLIMIT_AS: 256 * MEBIBYTE,
    # Seconds of processor time: a little more than the longest invocation, in case the server is gone.
    resource.RLIMIT_CPU: 12,
    resource.RLIMIT_FSIZE: 0,
    resource.RLIMIT_NOFILE: 64,
    # Threads count, and bubblewrap's own two.
    resource.RLIMIT_NPROC: 8,
    resource.RLIMIT_CORE: 0,
}


def main():
    process = os.getpid()
    os.nice(10)
    for limit, most in LIMITS.items():
        resource.setrlimit(limit, (most, most))
    os.write(3, b"ready\n")
    text = answer(json.loads(sys.stdin.buffer.read()))
    # A fork that the tool made must not answer too.
    if os.getpid() != process:
        os._exit(0)
    flush()
    write(3, text)
    os._exit(0)


main()
