/** Resolves at the first signal that asks this process to stop. Later ones change nothing: it is stopping. */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    const keepAlive = setInterval(() => {}, 60_000)
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        clearInterval(keepAlive)
        resolve()
      })
    }
  })
}
