import type { ServerResponse } from 'node:http'
import { endpointIdOf } from '../../src/webhooks/deliveries/delivery-id.ts'
import { type Received, type Receiver, startReceiver } from '../support/receiver.ts'

/** How long it takes to answer: long enough for a process to be killed meanwhile, and quick enough to be no slow receiver. */
const answerMs = 150

/** Long enough to be one, whose deliveries go by the lane of the slow. */
const slowAnswerMs = 1200

/** What a receiver knows of one process, by the brand in the names of its headers. */
interface Sending {
  /** Requests that wait for their answer, by delivery. */
  open: Map<string, ServerResponse>
  /** Deliveries of which it was given an answer. */
  answered: Set<string>
  /** No answer any more: it is about to be killed, or dead. */
  doomed: boolean
}

/** A receiver that refuses each delivery `refusals` times, then takes it, and counts. */
export async function startCountingReceiver(refusals: number) {
  const receiver: Receiver = await startReceiver()
  const processes = new Map<string, Sending>()
  const answers = new Map<string, number>()
  const interruptions = new Map<string, number>()
  const slow = new Set<string>()
  const count = (counts: Map<string, number>, id: string) => counts.set(id, (counts.get(id) ?? 0) + 1)

  function of(brand: string): Sending {
    const known = processes.get(brand) ?? { open: new Map(), answered: new Set(), doomed: false }
    processes.set(brand, known)
    return known
  }

  function answer(from: Sending, id: string, res: ServerResponse): void {
    if (from.doomed) return void count(interruptions, id)
    const isRefused = (answers.get(id) ?? 0) < refusals
    count(answers, id)
    from.open.delete(id)
    from.answered.add(id)
    res.writeHead(isRefused ? 503 : 200).end()
  }

  receiver.respondWith((res, _count, received) => {
    const { id } = received.json
    const from = of(brandOf(received))
    from.open.set(id, res)
    setTimeout(answer, slow.has(endpointIdOf(id)) ? slowAnswerMs : answerMs, from, id, res)
  })

  return {
    url: receiver.url,
    host: receiver.host,
    close: () => receiver.close(),
    answerSlowly: (endpointId: string) => slow.add(endpointId),
    /** How many requests of this process wait for their answer now. */
    openOf: (brand: string): number => of(brand).open.size,
    /** No answer goes to this process from here on. What it has open, or begins, comes to no end. */
    giveUp(brand: string): Set<string> {
      of(brand).doomed = true
      return of(brand).answered
    },
    seen: (id: string): number => receiver.received.filter(({ json }) => json.id === id).length,
    answers: (id: string): number => answers.get(id) ?? 0,
    interruptions: (id: string): number => interruptions.get(id) ?? 0,
  }
}

const brandOf = ({ headers }: Received): string =>
  Object.keys(headers)
    .map((name) => /^x-(\w+)-signature$/.exec(name)?.[1])
    .find((brand) => brand !== undefined) ?? ''
