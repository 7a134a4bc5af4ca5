/**
 * Shows a progress bar for `total` items on stderr while `work` runs, unless stderr is not a terminal or the command
 * runs with --json. `work` says how many items it has completed.
 */
export async function withProgress<Result>(
  { asJson }: { asJson: boolean },
  total: number,
  work: (advance: (count: number) => void) => Promise<Result>,
): Promise<Result> {
  if (asJson || !process.stderr.isTTY || total === 0) return work(() => undefined)
  const { SingleBar } = await import('cli-progress')
  const bar = new SingleBar({
    format: '{bar} {value} of {total}, {eta_formatted} left',
    stream: process.stderr,
    // The progress bar must not hide the cursor or turn off line wrapping. In some commands, Ctrl-C ends the process
    // immediately, so the terminal's settings would not be restored.
    hideCursor: false,
    linewrap: true,
  })
  bar.start(total, 0)
  return work((count) => bar.increment(count)).finally(() => bar.stop())
}
