import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Customers, Form, Posted } from './forms.ts'
import { runProcess, type Where } from './processes.ts'

interface Crowd {
  /** Without path. */
  origin: string
  /** How many send at a time. */
  connections: number
  /** Forms that are there for each second; more than are ever sent. */
  mostPerSecond: number
  /** Makes that many forms that nobody sent yet. */
  fill(count: number): Promise<Form[]>
}

/**
 * Customers of one side: sends forms for some seconds, all filled before. What a round leaves is sent in the next.
 * @throws {Error} when a form is not answered 303
 */
export function customersOf(where: Where, crowd: Crowd): (seconds: number) => Promise<Posted> {
  const { origin, connections, mostPerSecond, fill } = crowd
  const file = join(where.folder, 'forms.json')
  let forms: Form[] = []
  return async (seconds) => {
    forms = [...forms, ...(await fill(Math.max(0, seconds * mostPerSecond - forms.length)))]
    writeFileSync(file, JSON.stringify(forms))
    const asked: Customers = { origin, connections, seconds, file }
    const posted = await runProcess<Posted>(where, 'forms', 'bench/forms.ts', [JSON.stringify(asked)])
    if (posted.failed > 0) throw new Error(`${posted.failed} forms to ${origin} were not answered 303`)
    forms = forms.slice(posted.sent)
    return posted
  }
}
