// Endpoints for webhooks that record what arrives and when. Each has a port; how it behaves is set while it runs:
// PUT /{port}/{responds|fails|hangs|slow}, on the port CONTROL. There GET /count returns how many arrived, GET / all
// arrivals since the last DELETE.
import { createServer, type ServerResponse } from 'node:http'
import { nowMs } from './clock.ts'
import type { Counted } from './receiver.ts'

/** `slow`: responds after `slowMs`. */
export type Behaviour = 'responds' | 'fails' | 'hangs' | 'slow'

/** How long a slow endpoint takes. */
export const slowMs = 3000

/** One POST: to which port, about which payment, which delivery, and when its body was here, by `nowMs`. */
export type Arrival = [port: number, reference: string, deliveryId: string, at: number]

export interface Seen {
  arrivals: Arrival[]
  /** POSTs that were accepted, got no response, and whose sender still waits. */
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

/** An endpoint that no longer hangs responds to the requests it has left open, too. */
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
