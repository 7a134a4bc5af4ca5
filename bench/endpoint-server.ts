// A fast endpoint server, which responds 200 and counts. GET /body returns the body of the first POST, any other GET
// the count. DELETE starts a new count.
import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { nowMs } from './clock.ts'

export interface Counted {
  count: number
  /** The instant of the last arrival, by `nowMs`. */
  lastAt: number
}

let counted: Counted = { count: 0, lastAt: 0 }
let firstBody: Promise<string> | undefined

function receive(req: IncomingMessage): void {
  counted.lastAt = nowMs()
  counted.count += 1
  if (firstBody === undefined) firstBody = text(req)
  else req.resume()
}

createServer((req, res) => {
  if (req.method === 'POST') {
    receive(req)
    req.once('end', () => res.end())
  } else if (req.url === '/body') void firstBody?.then((body) => res.end(body))
  else {
    if (req.method === 'DELETE') counted = { count: 0, lastAt: 0 }
    res.end(JSON.stringify(counted))
  }
}).listen(Number(process.env.PORT), '127.0.0.1')
