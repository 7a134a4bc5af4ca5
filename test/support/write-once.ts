import type { Operation } from './kill-at-every-step.ts'
import type { Merchant, Service } from './service.ts'
import { waitFor } from './wait-for.ts'

/** A CSV body is a string. */
export type Write = { merchant: Merchant; method?: string; path: string; body: object | string }
/** The responses that a merchant would accept: after losing its database, a process returns an error. */
export type Sent = Write & { responses: string[] }

export async function send({ origin }: { origin: string }, each: Sent) {
  const { merchant, method = 'POST', path, body, responses } = each
  const isCsv = typeof body === 'string'
  const type = { 'Content-Type': isCsv ? 'text/csv' : 'application/json' }
  const headers = { ...merchant.write('the-same-key'), ...type }
  const init = { method, headers, body: isCsv ? body : JSON.stringify(body) }
  const response = await fetch(`${origin}/api/v1/dev${path}`, init)
  const [{ status }, text] = [response, await response.text()]
  const isAccepted = status < 500 && status !== 409
  if (isAccepted) responses.push(text)
  return { status, isAccepted }
}

/** Retries like a merchant, because MongoDB keeps a killed process's locks for some seconds. */
export async function sendAgain(service: Service, write: Sent): Promise<number> {
  const final = async () => {
    const response = await send(service, write)
    return response.isAccepted && response
  }
  return (await waitFor('a final response', final, 30_000)).status
}

/** A write that must take effect once, with one response, however often it is sent. */
export const writeOnce = <Case extends Write>(
  service: Service,
  status: number,
  prepare: () => Promise<Case>,
  check: (each: Case, data: Record<string, unknown>, label: string) => unknown,
): Operation<Case & Sent> => ({
  prepare: async () => ({ ...(await prepare()), responses: [] }),
  run: send,
  async repeat(each) {
    expect(await sendAgain(service, each), each.responses.at(-1)).to.equal(status)
  },
  async check(each, label) {
    expect(new Set(each.responses), label).to.have.property('size', 1)
    await check(each, JSON.parse(each.responses[0] ?? '').data, label)
  },
})
