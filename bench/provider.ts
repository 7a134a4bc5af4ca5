// A wallet provider that has no doubts and keeps nothing: every payment succeeds at once.
import { createServer, type IncomingMessage } from 'node:http'

createServer((req, res) => {
  void readText(req).then((text) => {
    const { key, amount } = JSON.parse(text) as { key: string; amount: number }
    res.setHeader('Content-Type', 'application/json')
    res.end(JSON.stringify({ key, amount, status: 'succeeded' }))
  })
}).listen(Number(process.env.PORT), '127.0.0.1')

async function readText(req: IncomingMessage): Promise<string> {
  let text = ''
  for await (const bytes of req) text += String(bytes)
  return text
}
