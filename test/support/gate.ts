export function createGate() {
  const { promise: passed, resolve: open } = Promise.withResolvers<void>()
  return { passed, open: (): void => open() }
}
