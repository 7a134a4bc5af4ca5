export interface Gate {
  passed: Promise<void>
  open(): void
}

export function createGate(): Gate {
  const { promise: passed, resolve: open } = Promise.withResolvers<void>()
  return { passed, open }
}
