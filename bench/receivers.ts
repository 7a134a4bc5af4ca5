// Receivers of webhooks that write down what arrives and when. Each has a port; how it answers is set while it runs:
// PUT /{port}/{answers|fails|hangs}, on the port CONTROL. GET there tells all arrivals since the last DELETE.
import { createServer } from 'node:http'
import { nowMs } from './clock.ts'

export type Behaviour = 'answers' | 'fails' | 'hangs'

/** One POST: to which port, about which payment, which delivery, and when its body was here, by `nowMs`. */
export type Arrival = [port: number, reference: string, deliveryId: string, at: number]

export interface Seen {
  arrivals: Arrival[]
  /** POSTs that were accepted, not answered, and whose sender still waits. */
  hanging: number
}

let arrivals: Arrival[] = []
let hanging = 0
const behaviours = new Map<number, Behaviour>()

for (const port of (process.env.PORTS ?? '').split(',').map(Number))
  createServer((req, res) => {
    const parts: Buffer[] = []
    req.on('data', (part: Buffer) => parts.push(part))
    req.once('end', () => {
      const at = nowMs()
      const body = JSON.parse(Buffer.concat(parts).toString()) as {
        id: string
        data: { reference_number: string }
      }
      arrivals.push([port, body.data.reference_number, body.id, at])
      const behaviour = behaviours.get(port) ?? 'answers'
      if (behaviour !== 'hangs') return void res.writeHead(behaviour === 'fails' ? 500 : 200).end()
      hanging += 1
      res.once('close', () => {
        hanging -= 1
      })
    })
  }).listen(port, '127.0.0.1')

createServer((req, res) => {
  const [, port, behaviour] = (req.url ?? '').split('/')
  if (req.method === 'PUT') behaviours.set(Number(port), behaviour as Behaviour)
  if (req.method === 'DELETE') arrivals = []
  res.end(JSON.stringify({ arrivals, hanging } satisfies Seen))
}).listen(Number(process.env.CONTROL), '127.0.0.1')
