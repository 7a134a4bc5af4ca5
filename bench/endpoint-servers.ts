// Endpoint servers that record every arrival. Each listens on its own port. On the port CONTROL, PUT
// /{port}/{responds|fails|hangs|slow} sets the behaviour of one, GET /count returns the number of arrivals, GET / all
// arrivals, and DELETE forgets them.
import { createServer, type ServerResponse } from 'node:http'
import { nowMs } from './clock.ts'
import type { Counted } from './endpoint-server.ts'

/** `slow`: responds after `slowMs`. */
export type Behaviour = 'responds' | 'fails' | 'hangs' | 'slow'

/** The response time of a slow endpoint. */
export const slowMs = 3000

/** One POST, with the instant (by `nowMs`) at which its body was complete. */
export type Arrival = [port: number, reference: string, deliveryId: string, at: number]

export interface Seen {
  arrivals: Arrival[]
  /** The number of POSTs whose sender still waits for a response. */
  hanging: number
}

let arrivals: Arrival[] = []
const behaviours = new Map<number, Behaviour>()
const hanging = new Map<ServerResponse, number>()

for (const port of (process.env.PORTS ?? '').split(',').filter(Boolean).map(Number))
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
      respond(res, port)
    })
  }).listen(port, '127.0.0.1')

function respond(res: ServerResponse, port: number): void {
  const behaviour = behaviours.get(port) ?? 'responds'
  if (behaviour === 'slow') setTimeout(() => res.end(), slowMs)
  else if (behaviour === 'hangs') {
    hanging.set(res, port)
    res.once('close', () => hanging.delete(res))
  } else res.writeHead(behaviour === 'fails' ? 500 : 200).end()
}

/** Sets the behaviour of an endpoint. If it no longer hangs, it also responds to its open requests. */
function behave(port: number, behaviour: Behaviour): void {
  behaviours.set(port, behaviour)
  if (behaviour === 'hangs') return
  for (const [res, itsPort] of hanging) if (itsPort === port) respond(res, port)
}

createServer((req, res) => {
  const [, first, behaviour] = (req.url ?? '').split('/')
  if (req.method === 'PUT') behave(Number(first), behaviour as Behaviour)
  if (req.method === 'DELETE') arrivals = []
  if (first === 'count')
    res.end(JSON.stringify({ count: arrivals.length, lastAt: arrivals.at(-1)?.[3] ?? 0 } satisfies Counted))
  else res.end(JSON.stringify({ arrivals, hanging: hanging.size } satisfies Seen))
}).listen(Number(process.env.CONTROL), '127.0.0.1')
