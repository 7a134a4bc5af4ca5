import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Opens a merchant's site at http://localhost:port, which a test payment may link to. */
export async function openShop() {
  const visits: { url: string; referrer: string | null }[] = []
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
