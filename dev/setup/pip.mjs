import { run } from './run.mjs'

/** Finds a Python that has pip. */
export async function pythonWithPip() {
  for (const python of ['python3', 'python']) {
    const { ok } = await run(python, ['-m', 'pip', '--version'], { name: 'Looking for pip' })
    if (ok) return python
  }
}
