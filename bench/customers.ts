import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Customers, Form, Posted } from './forms.ts'
import { type Runtime, runProcess } from './processes.ts'

interface Crowd {
  /** Scheme, host and port. */
  origin: string
  /** The number of concurrent customers. */
  connections: number
  /** The forms that are filled for each second: more than customers can send. */
  maxPerSecond: number
  /** Fills forms that were not sent yet. */
  fill(count: number): Promise<Form[]>
}

/**
 * Returns a function that fills forms, and then sends them for some seconds. The next round sends those that are left.
 * @throws {Error} if a response is not 303
 */
export function customersOf(runtime: Runtime, crowd: Crowd): (seconds: number) => Promise<Posted> {
  const { origin, connections, maxPerSecond, fill } = crowd
  const file = join(runtime.folder, 'forms.json')
  let forms: Form[] = []
  return async (seconds) => {
    forms = [...forms, ...(await fill(Math.max(0, seconds * maxPerSecond - forms.length)))]
    writeFileSync(file, JSON.stringify(forms))
    const input: Customers = { origin, connections, seconds, file }
    const posted = await runProcess<Posted>(runtime, 'forms', 'bench/forms.ts', [JSON.stringify(input)])
    if (posted.failed > 0) throw new Error(`${posted.failed} forms to ${origin} did not get 303`)
    forms = forms.slice(posted.sent)
    return posted
  }
}
