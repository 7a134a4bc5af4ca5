import { randomUUID } from 'node:crypto'
import { Pool } from 'undici'
import type { Merchant } from './merchants.ts'

const CONNECTIONS = 64

/** Opens a client that sends each call with a new idempotency key. `post` throws if a response is not 2xx. */
export function openApi(port: number) {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: CONNECTIONS })
  return {
    close: () => pool.close(),
    async post({ apiKey }: Merchant, path: string, body: object): Promise<unknown> {
      const response = await pool.request({
        method: 'POST',
        path: `/api/v1/dev${path}`,
        headers: {
          Authorization: `Bearer ${apiKey}`,
          'Content-Type': 'application/json',
          'X-Idempotency-Key': randomUUID(),
        },
        body: JSON.stringify(body),
      })
      const text = await response.body.text()
      if (response.statusCode >= 300) throw new Error(`${path} got ${response.statusCode}: ${text}`)
      return (JSON.parse(text) as { data: unknown }).data
    },
  }
}

/** Runs `act` for each index below `times`, as many at once as a client has connections. */
export async function inParallel(times: number, act: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0
  const loop = async (): Promise<void> => {
    while (next < times) {
      next += 1
      await act(next - 1)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, loop))
}
