/** A promise that is resolved from outside. */
export interface Gate {
  passed: Promise<void>
  open(): void
}

/** `Promise.withResolvers` came with Node 22. */
export function createGate(): Gate {
  let open = (): void => {}
  const passed = new Promise<void>((resolve) => {
    open = resolve
  })
  return { passed, open }
}
