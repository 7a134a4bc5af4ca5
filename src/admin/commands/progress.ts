import { SingleBar } from 'cli-progress'

/** Shows how far a long act is. */
export interface Progress {
  add(count: number): void
  end(): void
}

/** A bar on stderr, of `total` pieces; nothing at all where nobody watches: no terminal, or JSON asked for. */
export function startProgress(total: number, asJson: boolean): Progress {
  if (asJson || !process.stderr.isTTY || total === 0) return { add: () => undefined, end: () => undefined }
  const bar = new SingleBar({
    format: '{bar} {value} of {total}, {eta_formatted} left',
    stream: process.stderr,
    // Ctrl-C ends the process at once, and must leave the terminal as it was: cursor shown, lines wrapped.
    hideCursor: false,
    linewrap: true,
  })
  bar.start(total, 0)
  return { add: (count) => bar.increment(count), end: () => bar.stop() }
}
