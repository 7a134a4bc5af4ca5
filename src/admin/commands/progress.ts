import { SingleBar } from 'cli-progress'

/** A progress display for a long-running command. */
export interface Progress {
  add(count: number): void
  end(): void
}

/**
 * Shows a progress bar for `total` items on stderr, unless stderr is not a terminal or the command runs with --json.
 */
export function startProgress(total: number, asJson: boolean): Progress {
  if (asJson || !process.stderr.isTTY || total === 0) return { add: () => undefined, end: () => undefined }
  const bar = new SingleBar({
    format: '{bar} {value} of {total}, {eta_formatted} left',
    stream: process.stderr,
    // The progress bar must not hide the cursor or turn off line wrapping. In some commands, Ctrl-C ends the process
    // immediately, so the terminal's settings would not be restored.
    hideCursor: false,
    linewrap: true,
  })
  bar.start(total, 0)
  return { add: (count) => bar.increment(count), end: () => bar.stop() }
}
