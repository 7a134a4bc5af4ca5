import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Shop {
  /** http://localhost:port, which a test payment may link to. */
  origin: string
  /** Requested paths with their queries and referrers. */
  visits: { url: string; referrer: string | null }[]
  close(): Promise<void>
}

export async function openShop(): Promise<Shop> {
  const visits: Shop['visits'] = []
  const server = createServer((req, res) => {
    if (req.url !== '/favicon.ico') visits.push({ url: req.url ?? '', referrer: req.headers.referer ?? null })
    res.setHeader('Content-Type', 'text/html; charset=utf-8')
    res.end('<!doctype html><title>Shop</title><h1>Welcome back</h1>')
  })
  server.listen(0, 'localhost')
  await once(server, 'listening')
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    visits,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
