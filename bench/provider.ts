// A wallet provider at which every payment succeeds at once. Stores nothing.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

createServer((req, res) => void carryOut(req, res)).listen(Number(process.env.PORT), '127.0.0.1')

async function carryOut(req: IncomingMessage, res: ServerResponse): Promise<void> {
  let text = ''
  for await (const bytes of req) text += String(bytes)
  const { key, amount, fee } = JSON.parse(text) as { key: string; amount: number; fee: number }
  res.setHeader('Content-Type', 'application/json')
  res.end(JSON.stringify({ key, amount, fee, status: 'succeeded' }))
}
