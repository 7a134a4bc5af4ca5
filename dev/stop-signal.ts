/** Resolves at the first signal that stops this process. Later signals have no effect. */
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
