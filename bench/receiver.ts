// A quick receiver of webhooks: reads each POST, answers 200, counts. GET tells the count, DELETE begins anew.
import { createServer } from 'node:http'

export interface Arrivals {
  count: number
  /** On this process's clock, in milliseconds. */
  firstAt: number
  lastAt: number
}

const none: Arrivals = { count: 0, firstAt: 0, lastAt: 0 }
let arrivals = { ...none }

createServer((req, res) => {
  if (req.method === 'POST') {
    const now = performance.now()
    if (arrivals.count === 0) arrivals.firstAt = now
    arrivals.lastAt = now
    arrivals.count += 1
  }
  if (req.method === 'DELETE') arrivals = { ...none }
  req.resume()
  req.once('end', () => res.end(req.method === 'POST' ? '' : JSON.stringify(arrivals)))
}).listen(Number(process.env.PORT), '127.0.0.1')
