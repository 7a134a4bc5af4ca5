import { isIP } from 'node:net'
import * as fc from 'fast-check'
import type { Deps } from '../../src/platform/deps.ts'
import { waitFor } from '../support/wait-for.ts'
import { publicV4, refusedAddresses, synthesised } from '../webhooks/addresses.ts'
import type { Cast } from './cast/cast.ts'
import { words } from './corpora/words.ts'
import { type Call, createClient } from './stage/client.ts'
import type { Stage } from './stage/stage.ts'

interface Lure {
  /** What the name resolves to. Null for a literal address, which goes directly into the database. */
  addresses: string[] | null
  url: string
}

const literalHosts: readonly string[] = words(`
  127.0.0.1 127.1 2130706433 0x7f000001 0177.0.0.1 0 0.0.0.0 127.0.0.1. 10.0.0.1 172.16.0.1 192.168.0.1
  100.64.0.1 169.254.169.254 168.63.129.16 198.18.0.1 224.0.0.1 255.255.255.255 [::1] [::]
  [::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1] [64:ff9b::7f00:1] [2002:7f00:1::] [2001:0:7f00:1::]
  [fe80::1] [fc00::1] [fd00:ec2::254] [ff02::1] [2001:db8::1] [2606:4700::5efe:7f00:1] localhost localhost.
  metadata.google.internal user:pass@127.0.0.1
`)

const atOnce = 5
const attemptLimitMs = 60_000
const privateAddresses = refusedAddresses.filter((address) => isIP(address) !== 0 && !address.includes('%'))

/** Always included: this machine, alone and beside a public address, and the clouds' metadata address. */
const fixed: readonly string[][] = [
  ['127.0.0.1'],
  ['8.8.8.8', '127.0.0.1'],
  ...['::1', '169.254.169.254', '10.0.0.1'].map((address) => [address]),
]

const generated = (seed: number, count: number): string[][] => {
  // Beside a public address, the service ignores addresses that DNS64 adds, and connects to the public one.
  const ownAddresses = privateAddresses.filter((address) => !synthesised.includes(address))
  const [private_, public_] = [fc.constantFrom(...ownAddresses), fc.constantFrom(...publicV4)]
  const addresses = fc.oneof(
    fc.constantFrom(...privateAddresses).map((one) => [one]),
    fc.tuple(public_, private_),
    fc.tuple(private_, public_),
  )
  return fc.sample(addresses, { seed, numRuns: count })
}

export async function hunt(
  { deps, nameServer, origin, endpointServers }: Stage,
  { hunterKey }: Cast,
  seed: number,
  names: number,
  isOver: () => boolean,
): Promise<string[]> {
  const call = createClient(origin, hunterKey, 'hunt')
  const trap = endpointServers.trapPort
  const lures: Lure[] = [
    ...[...fixed, ...generated(seed, names)].map((addresses, index) => ({
      addresses,
      url: `https://d${index}.attack.example:${trap}/`,
    })),
    ...literalHosts.map((host) => ({ addresses: null, url: `https://${host}:${trap}/` })),
  ]
  for (const { addresses, url } of lures)
    if (addresses !== null) nameServer.setAddresses(new URL(url).hostname, addresses)
  const faults: string[] = []
  for (const { id } of (await call('GET', '/webhooks')).data.items as { id: string }[])
    await call('DELETE', `/webhooks/endpoints/${id}`)
  for (let begin = 0; begin < lures.length && !isOver(); begin += atOnce)
    faults.push(...(await sendTo(deps, call, lures.slice(begin, begin + atOnce))))
  return faults
}

async function sendTo(deps: Deps, call: Call, lures: readonly Lure[]): Promise<string[]> {
  const registered = await Promise.all(lures.map((lure) => createEndpoint(deps, call, lure)))
  const { referenceNumber } = (await call('POST', '/intents', { amount: 5 })).data
  type Delivery = { endpointId: string; attempts: number; status: string }
  const attempted = async () => {
    const page = await call('GET', `/webhooks/events?referenceNumber=${String(referenceNumber)}`)
    const items = page.data.items as Delivery[]
    return items.length === lures.length && items.every(({ attempts }) => attempts > 0) && items
  }
  const urls = lures.map(({ url }) => url).join()
  const deliveries = await waitFor(`an attempt at each of ${urls}`, attempted, attemptLimitMs)
  for (const { id } of registered) await call('DELETE', `/webhooks/endpoints/${id}`)
  return registered.flatMap(({ id, url, addresses, isTested }) => {
    const isDelivered = deliveries.some((each) => each.endpointId === id && each.status === 'DELIVERED')
    const to = `${url} (${addresses?.join() ?? 'an address'})`
    return [
      ...(isTested ? [`a test was delivered to ${to}`] : []),
      ...(isDelivered ? [`an event was delivered to ${to}`] : []),
    ]
  })
}

async function createEndpoint(deps: Deps, call: Call, lure: Lure) {
  const url = lure.addresses === null ? 'https://hooks.nowhere.example/' : lure.url
  const id = String((await call('POST', '/webhooks/endpoints', { url, events: ['payment.created'] })).data.id)
  if (lure.addresses === null)
    await deps.Endpoint.collection.updateOne({ _id: id as never }, { $set: { url: lure.url } })
  const tested = await call('POST', `/webhooks/endpoints/${id}/test`, {})
  return { ...lure, id, isTested: tested.data.delivered !== false }
}
