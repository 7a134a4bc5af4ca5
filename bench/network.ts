import { mongo } from 'mongoose'
import { freePort } from '../dev/servers/free-port.ts'
import { startMongoReplicaSet } from '../dev/servers.ts'
import { type Arrivals, allArrived, startArrivals } from './arrivals.ts'
import { alternate, type Bench, type Benchmark, type Line } from './benchmark.ts'
import { addEndpoint, provisionMerchants } from './merchants.ts'
import { buildEarlier, listening, type Running, startProcess } from './processes.ts'
import { actSteadily, startService } from './setting.ts'
import type { Sent } from './steady.ts'
import { comparedLine } from './table.ts'
import { percentile } from './times.ts'

const MEMBERS = 3
const DELAY_MS = 3
const WEBS = 2
const MERCHANTS = 4
/** A cancel and a payment follow three creates: 250 requests per second. */
const CREATES_PER_SECOND = 150
const WARM_UP_SECONDS = 10
const PINGS = 100
const eventOf = { create: 'payment.created', cancel: 'payment.cancelled', pay: 'payment.confirmed' } as const
const kinds = Object.keys(eventOf) as Sent['act'][]

type Times = Record<Sent['act'], { response: number[]; webhook: number[] }>

/** Puts a network between the service and MongoDB. */
export const network: Benchmark = {
  describe: ({ before, trafficSeconds }) =>
    `250 acts/s to ${WEBS} \`web\` with one \`worker\`, with ${DELAY_MS} ms to each of the ${MEMBERS} members of MongoDB` +
    `${before === null ? '' : ' ÷ of another checkout (--before)'}, ${trafficSeconds} s in turns`,
  measure: measureNetwork,
  takesSeconds: ({ rounds, trafficSeconds, before }) =>
    15 + (before === null ? 1 : 2) * (15 + WARM_UP_SECONDS + rounds * (trafficSeconds + 3)),
}

async function measureNetwork(bench: Bench): Promise<Line[]> {
  const proxies: Running[] = []
  const set = await startMongoReplicaSet(MEMBERS, async (members) => {
    const { hosts, running } = await startProxies(bench, members)
    proxies.push(running)
    return hosts
  })
  const arrivals = await startArrivals(bench.runtime, 'network-endpoints', kinds.length)
  const distant = {
    ...bench,
    mongodbUrl: (database: string) => set.url.replace('/payment_intents', `/${database}`),
  }
  const service = await startSide(distant, 'network', arrivals)
  const startEarlier = (checkout: string) =>
    startSide(
      { ...distant, runtime: { ...bench.runtime, programs: buildEarlier(checkout) } },
      'network-before',
      arrivals,
    )
  const earlier = bench.before === null ? null : await startEarlier(bench.before)
  const noTimes = async (): Promise<Times | null> => null
  const pairs = await alternate(bench.rounds, service.act, earlier?.act ?? noTimes)
  const pingMs = await ping(set.url)
  await Promise.all([service.end(), earlier?.end()])
  await Promise.all([arrivals, ...proxies].map((each) => each.end()))
  await set.stop()
  const line = (what: string, of: (times: Times) => number[], share: number) =>
    comparedLine(what, pairs, (times) => (times === null ? Number.NaN : percentile(of(times), share)), '')
  return [
    ...kinds.flatMap((kind) => [
      line(`network, ${kind}: p50, ms`, (times) => times[kind].response, 0.5),
      line('  p99', (times) => times[kind].response, 0.99),
      line('  until its webhook, p50', (times) => times[kind].webhook, 0.5),
      line('  p99', (times) => times[kind].webhook, 0.99),
    ]),
    comparedLine('  a ping of MongoDB, p50', [{ service: pingMs, bare: Number.NaN }], (ms) => ms, ''),
  ]
}

/** One proxy before each member. The members reach each other through them too. */
async function startProxies({ runtime }: Bench, members: { port: number }[]) {
  const ports = await Promise.all(members.map(freePort))
  const running = startProcess({ ...runtime, profile: false }, 'delay-proxies', 'bench/delay-proxies.ts', {
    ROUTES: members.map(({ port }, index) => `${ports[index]}:${port}`).join(','),
    DELAY_MS: String(DELAY_MS),
  })
  await Promise.all(ports.map(listening))
  return { hosts: ports.map((port) => `127.0.0.1:${port}`), running }
}

async function startSide(bench: Bench, name: string, arrivals: Arrivals) {
  const environment = { WEBHOOK_ALLOWED_HOSTS: arrivals.allowedHosts }
  const service = await startService(bench, name, { environment, webs: WEBS })
  service.startWorker()
  const merchants = await provisionMerchants(bench, service, MERCHANTS)
  for (const merchant of merchants)
    for (const [index, kind] of kinds.entries())
      await addEndpoint(service, merchant, arrivals.urls[index], [eventOf[kind]])
  const streams = [
    { perSecond: CREATES_PER_SECOND, apiKeys: merchants.map(({ apiKey }) => apiKey), settles: true },
  ]
  const act = async (seconds = bench.trafficSeconds): Promise<Times> => {
    const sent = await actSteadily(bench, service.origins, seconds + 1, streams)
    const all = await allArrived(arrivals, sent.length)
    await arrivals.forget()
    const arrivedAt = new Map(all.map(([port, reference, , at]) => [`${port} ${reference}`, at]))
    const from = (sent[0]?.dueAt ?? 0) + 1000
    // The first second, and the time after the last create, have fewer requests.
    const counted = sent.filter(({ dueAt }) => dueAt >= from && dueAt < from + seconds * 1000)
    const timesOf = (index: number) => {
      const own = counted.filter((each) => each.act === kinds[index])
      const webhookAt = ({ reference }: Sent) =>
        arrivedAt.get(`${arrivals.ports[index]} ${reference}`) ?? Number.NaN
      return {
        response: own.map(({ dueAt, respondedAt }) => respondedAt - dueAt),
        webhook: own.map((each) => webhookAt(each) - each.dueAt),
      }
    }
    return { create: timesOf(0), cancel: timesOf(1), pay: timesOf(2) }
  }
  await act(WARM_UP_SECONDS)
  return { act: () => act(), end: service.end }
}

async function ping(url: string): Promise<number> {
  const client = await mongo.MongoClient.connect(url)
  const times: number[] = []
  while (times.length < PINGS) {
    const startedAt = performance.now()
    await client.db('admin').command({ ping: 1 })
    times.push(performance.now() - startedAt)
  }
  await client.close()
  return percentile(times, 0.5)
}
