import { SingleBar } from 'cli-progress'

/** The progress of a long command. */
export interface Progress {
  add(count: number): void
  end(): void
}

/** Shows a progress bar on stderr for `total` items. Shows none without a terminal and with --json. */
export function startProgress(total: number, asJson: boolean): Progress {
  if (asJson || !process.stderr.isTTY || total === 0) return { add: () => undefined, end: () => undefined }
  const bar = new SingleBar({
    format: '{bar} {value} of {total}, {eta_formatted} left',
    stream: process.stderr,
    // Ctrl-C ends the process at once, so the bar must not hide the cursor or change the line wrapping.
    hideCursor: false,
    linewrap: true,
  })
  bar.start(total, 0)
  return { add: (count) => bar.increment(count), end: () => bar.stop() }
}
