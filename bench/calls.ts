import { randomUUID } from 'node:crypto'
import { Pool } from 'undici'

const CONNECTIONS = 64

export interface Merchant {
  businessId: string
  apiKey: string
}

export const order = {
  amount: 150_000,
  label: 'Commande 4711 — 2 articles',
  metadata: { order_id: 'ORD-2026-004711', customer: 'Aïssata Ba' },
}

/** Sends each call with a new idempotency key. `post` throws if a response is not 2xx. */
export function openApi(origin: string) {
  const pool = new Pool(origin, { connections: CONNECTIONS })
  return {
    close: () => pool.close(),
    async post<Data>(merchant: Merchant | undefined, path: string, body: object): Promise<Data> {
      const response = await pool.request({
        method: 'POST',
        path: `/api/v1/dev${path}`,
        headers: {
          Authorization: `Bearer ${merchant?.apiKey}`,
          'Content-Type': 'application/json',
          'X-Idempotency-Key': randomUUID(),
        },
        body: JSON.stringify(body),
      })
      const text = await response.body.text()
      if (response.statusCode >= 300) throw new Error(`${path} got ${response.statusCode}: ${text}`)
      return (JSON.parse(text) as { data: Data }).data
    },
  }
}

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
