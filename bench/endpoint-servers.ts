// Endpoint servers that record every arrival, each on its own port. On the port CONTROL, PUT /{port}/{behaviour} sets
// one's behaviour, GET /count returns the number of arrivals and the first body that was counted, GET / all arrivals,
// and DELETE forgets them.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { nowMs } from './times.ts'

/** `counts`: responds without parsing or recording the body. `slow`: responds after some seconds. */
export type Behaviour = 'responds' | 'counts' | 'hangs' | 'slow'

const SLOW_MS = 3000

export type Arrival = [port: number, reference: string, deliveryId: string, at: number]

export interface Seen {
  arrivals: Arrival[]
  hanging: number
}

export interface Counted {
  count: number
  lastAt: number
  firstBody: string
}

let arrivals: Arrival[] = []
let counted = { count: 0, lastAt: 0 }
let firstBody: Promise<string> | undefined
const behaviours = new Map<number, Behaviour>()
const hanging = new Map<ServerResponse, number>()

for (const port of (process.env.PORTS ?? '').split(',').map(Number))
  createServer(
    (req, res) => void (behaviours.get(port) === 'counts' ? count(req, res) : record(req, res, port)),
  ).listen(port, '127.0.0.1')

function count(req: IncomingMessage, res: ServerResponse): void {
  counted = { count: counted.count + 1, lastAt: nowMs() }
  if (firstBody === undefined) firstBody = text(req)
  else req.resume()
  req.once('end', () => res.end())
}

async function record(req: IncomingMessage, res: ServerResponse, port: number): Promise<void> {
  const body = JSON.parse(await text(req)) as { id: string; data: { reference_number: string } }
  counted = { count: counted.count + 1, lastAt: nowMs() }
  arrivals.push([port, body.data.reference_number, body.id, counted.lastAt])
  respond(res, port)
}

function respond(res: ServerResponse, port: number): void {
  const behaviour = behaviours.get(port)
  if (behaviour === 'slow') setTimeout(() => res.end(), SLOW_MS)
  else if (behaviour === 'hangs') {
    hanging.set(res, port)
    res.once('close', () => hanging.delete(res))
  } else res.end()
}

/** An endpoint that no longer hangs also responds to its open requests. */
function behave(port: number, behaviour: Behaviour): void {
  behaviours.set(port, behaviour)
  if (behaviour === 'hangs') return
  for (const [res, itsPort] of hanging) if (itsPort === port) respond(res, port)
}

async function control(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const [, first, behaviour] = (req.url ?? '').split('/')
  if (req.method === 'PUT') behave(Number(first), behaviour as Behaviour)
  if (req.method === 'DELETE') {
    arrivals = []
    counted = { count: 0, lastAt: 0 }
  }
  if (first === 'count')
    res.end(JSON.stringify({ ...counted, firstBody: (await firstBody) ?? '' } satisfies Counted))
  else res.end(JSON.stringify({ arrivals, hanging: hanging.size } satisfies Seen))
}

createServer((req, res) => void control(req, res)).listen(Number(process.env.CONTROL), '127.0.0.1')
