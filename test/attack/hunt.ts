import { isIP } from 'node:net'
import * as fc from 'fast-check'
import type { Deps } from '../../src/deps.ts'
import { waitFor } from '../support/wait-for.ts'
import { publicV4, refusedAnswers, synthesised } from '../webhooks/answers.ts'
import type { Cast } from './cast/cast.ts'
import { literalHosts } from './corpora/literals.ts'
import { type Call, createClient } from './stage/client.ts'
import type { Stage } from './stage/stage.ts'

/** An endpoint that leads to a private address. */
interface Lure {
  /** The addresses of the name. Null if the URL has a literal address, which is written into the database because the API refuses it. */
  answers: string[] | null
  url: string
}

/** The most endpoints that a business may have. */
const atOnce = 5
/** The first attempt comes at once, but the machine is busy with the attack. */
const attemptLimitMs = 60_000

const privateAddresses = refusedAnswers.filter((address) => isIP(address) !== 0 && !address.includes('%'))

/** Tried in every run: this machine, alone and beside a public address, and the metadata address of clouds. */
const surely: readonly string[][] = [
  ['127.0.0.1'],
  ['8.8.8.8', '127.0.0.1'],
  ['::1'],
  ['169.254.169.254'],
  ['10.0.0.1'],
]

/** Names with one private address, or with one among public ones. */
const named = (seed: number, count: number): string[][] => {
  // Beside a public address, the service ignores what DNS64 adds, and connects to that address.
  const ownAddresses = privateAddresses.filter((address) => !synthesised.includes(address))
  const [private_, public_] = [fc.constantFrom(...ownAddresses), fc.constantFrom(...publicV4)]
  const answers = fc.oneof(
    fc.constantFrom(...privateAddresses).map((one) => [one]),
    fc.tuple(public_, private_).map((both) => both),
    fc.tuple(private_, public_).map((both) => both),
  )
  return fc.sample(answers, { seed, numRuns: count })
}

/**
 * Makes the service send to private addresses, by a test call and by an event, five endpoints at a time. Returns the deliveries that
 * succeeded. An oracle checks the connections.
 */
export async function hunt(
  { deps, nameServer, origin, receivers }: Stage,
  { hunterKey }: Cast,
  seed: number,
  names: number,
  isOver: () => boolean,
): Promise<string[]> {
  const call = createClient(origin, hunterKey, 'hunt')
  const trap = receivers.trapPort
  const lures: Lure[] = [
    ...[...surely, ...named(seed, names)].map((answers, place) => ({
      answers,
      url: `https://d${place}.attack.example:${trap}/`,
    })),
    ...literalHosts.map((host) => ({ answers: null, url: `https://${host}:${trap}/` })),
  ]
  for (const { answers, url } of lures) if (answers !== null) nameServer.teach(new URL(url).hostname, answers)
  const faults: string[] = []
  for (const { id } of (await call('GET', '/webhooks')).data.items as { id: string }[])
    await call('DELETE', `/webhooks/endpoints/${id}`)
  for (let begin = 0; begin < lures.length && !isOver(); begin += atOnce)
    faults.push(...(await tryLures(deps, call, lures.slice(begin, begin + atOnce))))
  return faults
}

async function tryLures(deps: Deps, call: Call, lures: readonly Lure[]): Promise<string[]> {
  const baited = await Promise.all(lures.map((lure) => layOut(deps, call, lure)))
  await call('POST', '/intents', { amount: 5 })
  // One after the other, because a business may run two lists at a time.
  const faults: string[] = []
  for (const one of baited) faults.push(...(await lookAt(call, one)))
  return faults
}

interface Baited extends Lure {
  id: string
  isTested: boolean
}

/** Creates the endpoint and calls its test. */
async function layOut(deps: Deps, call: Call, lure: Lure): Promise<Baited> {
  const url = lure.answers === null ? 'https://hooks.nowhere.example/' : lure.url
  const { data } = await call('POST', '/webhooks/endpoints', { url, events: ['payment.created'] })
  const id = String(data.id)
  if (lure.answers === null)
    await deps.Endpoint.collection.updateOne({ _id: id as never }, { $set: { url: lure.url } })
  const tested = await call('POST', `/webhooks/endpoints/${id}/test`, {})
  return { ...lure, id, isTested: tested.data.delivered !== false }
}

/** Waits for an attempt, deletes the endpoint and returns what was delivered. */
async function lookAt(call: Call, { id, url, answers, isTested }: Baited): Promise<string[]> {
  const { data } = await waitFor(
    `an attempt at ${url}`,
    async () => {
      const page = await call('GET', `/webhooks/events?endpointId=${id}&event=payment.created`)
      const isTried = (page.data.items as { attempts: number }[]).some(({ attempts }) => attempts > 0)
      return isTried && page
    },
    attemptLimitMs,
  )
  const isDelivered = (data.items as { status: string }[]).some(({ status }) => status === 'DELIVERED')
  await call('DELETE', `/webhooks/endpoints/${id}`)
  const to = `${url} (${answers?.join() ?? 'an address'})`
  return [
    ...(isTested ? [`a test was delivered to ${to}`] : []),
    ...(isDelivered ? [`an event was delivered to ${to}`] : []),
  ]
}
