import { randomUUID } from 'node:crypto'
import { Pool } from 'undici'
import type { Merchant } from './merchants.ts'

const CONNECTIONS = 64

/** Calls with idempotency keys of their own. @throws {Error} when one is not answered 2xx */
export function openApi(port: number) {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: CONNECTIONS })
  return {
    close: () => pool.close(),
    async post({ apiKey }: Merchant, path: string, body: object): Promise<unknown> {
      const answered = await pool.request({
        method: 'POST',
        path: `/api/v1/dev${path}`,
        headers: {
          Authorization: `Bearer ${apiKey}`,
          'Content-Type': 'application/json',
          'X-Idempotency-Key': randomUUID(),
        },
        body: JSON.stringify(body),
      })
      const text = await answered.body.text()
      if (answered.statusCode >= 300) throw new Error(`${path} was answered ${answered.statusCode}: ${text}`)
      return (JSON.parse(text) as { data: unknown }).data
    },
  }
}

/** As many at a time as there are connections, as merchants would. */
export async function inParallel(times: number, act: (place: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const batcher = async (): Promise<void> => {
    while (next < times) {
      next += 1
      await act(next - 1)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, batcher))
}
