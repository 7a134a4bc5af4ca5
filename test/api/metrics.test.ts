import { once } from 'node:events'
import { connect } from 'node:net'
import { expect } from 'chai'
import { Redis } from 'ioredis'
import { pino } from 'pino'
import { freePort } from '../../dev/servers/free-port.ts'
import { startMongo, startRedis } from '../../dev/servers.ts'
import { catalogue } from '../../src/errors.ts'
import { routes } from '../../src/http/routes/routes.ts'
import type { Intent } from '../../src/intents/intent.ts'
import { alreadyCancelled, neverCancels } from '../../src/intents/lifecycle.ts'
import { watchedLines } from '../../src/metrics/begin-at-zero.ts'
import { createMetrics } from '../../src/metrics/metrics.ts'
import { createLog } from '../../src/process/log.ts'
import { queueNames } from '../../src/queues/jobs.ts'
import { requestRestore } from '../../workers/run/restore-jobs.ts'
import { createIntent, paymentEvents, post, subscribe } from '../support/actions.ts'
import { withEndpointServer } from '../support/endpoint-server.ts'
import { pay } from '../support/pay.ts'
import { startProcess } from '../support/processes.ts'
import { profiled } from '../support/profiled.ts'
import { withMerchant, withService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { withServer } from '../support/with.ts'
import { crlf, sendRaw } from './raw-request.ts'

interface Sample {
  name: string
  labels: Record<string, string>
  value: number
}

/** The samples of a text in Prometheus' format. */
const samplesOf = (text: string): Sample[] =>
  [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(([, name = '', labels = '', value]) => ({
    name,
    labels: Object.fromEntries(
      [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, of = '']) => [label, of]),
    ),
    value: Number(value),
  }))

async function scrape(origin: string): Promise<Sample[]> {
  const answer = await fetch(`${origin}/metrics`)
  expect(answer.status).to.equal(200)
  expect(answer.headers.get('content-type')).to.equal('text/plain; version=0.0.4; charset=utf-8')
  return samplesOf(await answer.text())
}

/** The sum of all samples of `payment_intents_<name>` that have these labels; null when there is none. */
function valueOf(samples: Sample[], name: string, labels: Record<string, string> = {}): number | null {
  const isMeant = (sample: Sample) =>
    sample.name === `payment_intents_${name}` &&
    Object.entries(labels).every(([label, value]) => sample.labels[label] === value)
  const values = samples.filter(isMeant).map(({ value }) => value)
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0)
}

describe('Metrics', () => {
  const mongo = withServer(startMongo)
  const redis = withServer(startRedis)
  const service = withService(() => ({ MONGODB_URL: mongo.url, REDIS_URL: redis.url }))
  const merchant = withMerchant(service)
  const endpointServer = withEndpointServer()
  before(async () => {
    await subscribe(service, merchant, endpointServer.url, [...paymentEvents, 'payment.confirmed'])
    await waitFor('Redis', () => service.deps.queues.ping().then(Boolean, () => false))
  })

  const now = () => scrape(service.origin)
  /** Past the minute for which an answer of MongoDB or Redis is kept. */
  const later = () => {
    service.clock.advance(61_000)
    return now()
  }

  it('count requests by route and code, replays, and the transitions of intents', async () => {
    const before = await now()
    const counted = async (name: string, labels: Record<string, string>) =>
      (valueOf(await now(), name, labels) ?? 0) - (valueOf(before, name, labels) ?? 0)
    const headers = merchant.write('one')
    for (const amount of [500, 500, 600])
      await service.http.post('/api/v1/dev/intents').set(headers).send({ amount }).expect(201)
    await service.http.post('/api/v1/dev/intents').set(merchant.write()).send({ amount: 0 }).expect(400)
    const { referenceNumber } = await createIntent(service, merchant)
    await post(service, merchant, `/intents/${referenceNumber}/simulate-payment`, '{}')
    for (const amount of [100, 200])
      await post(service, merchant, `/intents/${referenceNumber}/refund`, JSON.stringify({ amount }))
    const failing = await createIntent(service, merchant, { amount: 99_901 })
    const byWallet = await createIntent(service, merchant)
    await pay(service, byWallet.referenceNumber, { pin: '9999' })
    await pay(service, byWallet.referenceNumber)
    await post(service, merchant, `/intents/${failing.referenceNumber}/simulate-payment`, '{}')
    const cancelled = await createIntent(service, merchant)
    for (let twice = 0; twice < 2; twice += 1)
      await post(service, merchant, `/intents/${cancelled.referenceNumber}/cancel`, '')

    const route = 'POST /dev/intents'
    expect(await counted('http_requests_total', { route, code: '201' })).to.equal(7)
    expect(await counted('http_requests_total', { route, code: 'AMOUNT_OUT_OF_RANGE' })).to.equal(1)
    expect(
      await counted('http_request_duration_seconds_count', { route, result: 'ok' }),
      'durations',
    ).to.equal(7)
    expect(await counted('idempotent_replays_total', { params: 'same' })).to.equal(1)
    expect(await counted('idempotent_replays_total', { params: 'other' })).to.equal(1)
    const moves = { create: 5, pay: 2, fail: 1, refund: 2, cancel: 1, expire: 0 }
    for (const [move, count] of Object.entries(moves))
      expect(await counted('transitions_total', { move, environment: 'test' }), move).to.equal(count)
    expect(await counted('transitions_total', { environment: 'live' })).to.equal(0)
    for (const outcome of ['refused', 'done'])
      expect(
        await counted('wallet_call_duration_seconds_count', { wallet: 'sandbox', outcome }),
        outcome,
      ).to.equal(1)
  })

  it('report how late work is while no worker runs, and count it when one does', async () => {
    const waiting = await later()
    expect(valueOf(waiting, 'outbox_lag_seconds')).to.be.within(60, 70)
    expect(valueOf(waiting, 'queue_workers')).to.equal(0)
    for (const own of ['last_poll_timestamp_seconds', 'attempts_in_flight', 'endpoints_waiting'])
      expect(valueOf(waiting, own), own).to.equal(null)
    service.clock.advance(86_400_000)
    expect(valueOf(await later(), 'expiry_lag_seconds')).to.be.within(60, 200)

    endpointServer.respondWith((res, count) => {
      res.statusCode = count === 1 ? 500 : 200
      res.end()
    })
    const startedAt = service.clock.now().getTime() / 1000
    const workers = service.startWorkers()
    requestRestore(service.deps, 'lately')
    const done = await waitFor('nothing is late', async () => {
      const samples = await later()
      const isDone =
        valueOf(samples, 'outbox_lag_seconds') === 0 &&
        valueOf(samples, 'expiry_lag_seconds') === 0 &&
        queueNames.every(
          (queue) =>
            queue === 'retention' || valueOf(samples, 'last_poll_timestamp_seconds', { queue }) !== null,
        ) &&
        (valueOf(samples, 'webhook_attempts_total', { outcome: 'delivered' }) ?? 0) > 4
      return isDone && samples
    })
    const environment = 'test'
    expect(
      valueOf(done, 'webhook_attempts_total', { outcome: 'retrying', stage: 'status', environment }),
    ).to.equal(1)
    expect(valueOf(done, 'webhook_attempt_duration_seconds_count', { outcome: 'retrying' })).to.equal(1)
    expect(valueOf(done, 'transitions_total', { move: 'expire', environment })).to.equal(1)
    for (const queue of ['outbox-relay', 'intent-expiry', 'maintenance'])
      expect(
        valueOf(done, 'job_duration_seconds_count', { queue, outcome: 'complete' }),
        queue,
      ).to.be.greaterThan(0)
    for (const queue of queueNames)
      expect(valueOf(done, 'queue_workers', { queue }), queue).to.be.greaterThan(0)
    const nowSeconds = service.clock.now().getTime() / 1000
    const polledAt = valueOf(done, 'last_poll_timestamp_seconds', { queue: 'maintenance' })
    expect(polledAt).to.be.within(startedAt, nowSeconds)
    for (const slots of ['fast', 'slow'])
      expect(valueOf(done, 'attempts_in_flight', { slots }), slots).to.be.within(0, 5)
    expect(valueOf(done, 'endpoints_waiting')).to.equal(0)
    await workers.close()
  })

  it('report due work, unknown wallet outcomes, and the live codes in use', async () => {
    const at = (ago: number) => new Date(service.clock.now().getTime() - ago)
    const template = await service.deps.Intent.findOne({ 'payment.key': { $exists: true } }).lean<Intent>()
    const copies = Array.from({ length: 60 }, (_, index) => ({
      ...template,
      _id: `copy${index}`,
      referenceNumber: `PI-copy${index}`,
      shortCode: `copy${index}`,
      sandbox: false,
      codeKey: `live:${String(index * 50).padStart(6, '0')}`,
      // A third of them rests no more, and is as good as free.
      codeReusableAt: index % 3 === 0 ? at(1000) : at(-9_000_000),
      outbox: [],
      refunds: index < 2 ? [{ ...template?.refunds[0], createdAt: at(90_000), queryAt: at(0) }] : [],
      hold: index < 3 ? { startedAt: at(index * 100_000), queryAt: at(0) } : null,
    }))
    await service.deps.Intent.collection.insertMany(copies as never)
    await service.deps.Delivery.updateMany({}, { $set: { nextAttemptAt: null } })
    const delivery = await service.deps.Delivery.findOne().lean()
    const due = { ...delivery, _id: 'due', status: 'PENDING', leaseToken: null }
    await service.deps.Delivery.collection.insertOne({ ...due, nextAttemptAt: at(400_000) } as never)

    const samples = await later()
    // Those from 000000 to 001999, of which 27 are taken.
    expect(valueOf(samples, 'live_codes_used_ratio')).to.equal(26 / 2000)
    expect(valueOf(samples, 'open_outcomes', { kind: 'payment' })).to.equal(3)
    expect(valueOf(samples, 'oldest_open_outcome_seconds', { kind: 'payment' })).to.be.within(260, 275)
    expect(valueOf(samples, 'open_outcomes', { kind: 'refund' })).to.equal(2)
    expect(valueOf(samples, 'oldest_open_outcome_seconds', { kind: 'refund' })).to.be.within(150, 165)
    expect(valueOf(samples, 'due_deliveries')).to.equal(1)
    expect(valueOf(samples, 'oldest_due_delivery_seconds')).to.be.within(460, 475)
  })

  it('read MongoDB by indexes only, few documents, and no more often than their cached values expire', async () => {
    const template = await service.deps.Intent.findOne().lean<Intent>()
    const at = new Date(service.clock.now().getTime() - 5_000)
    const standing = (count: number, name: string, changes: Partial<Intent>) =>
      Array.from({ length: count }, (_, index) => ({
        ...template,
        _id: `${name}${index}`,
        referenceNumber: `PI-${name}${index}`,
        shortCode: `${name}${index}`,
        codeKey: `live:9${name}${index}`,
        status: 'PENDING',
        expiresAt: at,
        cancelsAt: at,
        hold: null,
        refunds: [],
        outbox: [],
        ...changes,
      }))
    const hold = { startedAt: at, queryAt: at } as never
    await service.deps.Intent.collection.insertMany([
      ...standing(100, 'held', { hold, cancelsAt: neverCancels }),
      ...standing(300, 'ended', { status: 'CANCELLED', cancelsAt: alreadyCancelled }),
      ...standing(300, 'waiting', { cancelsAt: new Date(at.getTime() + 1e9) }),
    ] as never)
    const operations = await profiled(service, () => later())
    // The stored bytes of the largest businesses are read less often (business-metrics.test.ts).
    const isSampled = (command: unknown) => JSON.stringify(command).includes('$bsonSize')
    const questions = operations.filter(
      ({ ns, command }) => /\.(intents|orders|deliveries)$/.test(ns) && !isSampled(command),
    )
    expect(questions.length).to.equal(10)
    expect(questions.map(({ planSummary }) => planSummary)).to.satisfy((plans: string[]) =>
      plans.every((plan) => /^(IXSCAN|COUNT_SCAN)/.test(plan)),
    )
    // What is open is counted from both ends; of codes it is a sample.
    const read = questions.map(({ keysExamined = 0, docsExamined = 0 }) =>
      Math.max(keysExamined, docsExamined),
    )
    expect(read.toSorted((a, b) => a - b).slice(0, -4), read.join()).to.satisfy((few: number[]) =>
      few.every((count) => count <= 5),
    )
    expect(Math.max(...read)).to.be.lessThan(110)
    expect(questions.filter(({ hasSortStage }) => hasSortStage)).to.deep.equal([])
    // No worker may end those that are held: they are not late.
    expect(valueOf(await now(), 'expiry_lag_seconds')).to.equal(0)
    const again = await profiled(service, () => Promise.all([now(), now(), now()]))
    expect(again.filter(({ ns }) => /\.(intents|orders|deliveries|retention)$/.test(ns))).to.deep.equal([])
  })

  it('have few labels, whatever strangers request', async () => {
    const { hostname, port } = new URL(service.origin)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    const targets = Array.from({ length: 40 }, (_, index) => `/api/v1/dev/intents/PI-${index}/x`)
    for (const path of [
      ...targets,
      '/p/AAAAAA',
      '/p/%00',
      '/admin/queues/zzz',
      '/sandbox/zzz',
      '/nowhere?a=b',
    ])
      for (const method of ['GET', 'PROPFIND', 'POST'])
        socket.write(crlf(`${method} ${path} HTTP/1.1`, 'Host: h', 'Content-Length: 0', '', ''))
    socket.end(crlf('GET /healthz HTTP/1.1', 'Host: h', 'Connection: close', '', ''))
    socket.resume()
    await once(socket, 'close')
    await sendRaw(service.origin, 'noise\r\n\r\n')
    const samples = await now()

    const labels = (name: string) => new Set(samples.flatMap((sample) => sample.labels[name] ?? []))
    const operations = routes.map(({ method, path }) => `${method.toUpperCase()} ${path}`)
    const isPattern = (route: string) =>
      route === 'other' || operations.includes(route) || /^(GET|HEAD|POST) \/[\w./:*{}-]*$/.test(route)
    expect([...labels('route')].filter((route) => !isPattern(route))).to.deep.equal([])
    expect([...labels('route')].join()).to.not.match(/PI-\d|zzz|AAAAAA|nowhere/)
    expect(valueOf(samples, 'http_requests_total', { route: 'other' })).to.be.greaterThan(80)
    const codes = [...labels('code')].filter((code) => !(code in catalogue) && !/^(\d{3}|gone)$/.test(code))
    expect(codes).to.deep.equal([])
    const text = await (await fetch(`${service.origin}/metrics`)).text()
    for (const secret of [merchant.key, merchant.keyId, endpointServer.host])
      expect(text).to.not.include(secret)
  })

  it('of a worker are on its own port, with its health and its process metrics', async () => {
    const port = await freePort()
    const worker = await startProcess('worker', service, { WORKER_PORT: String(port) })
    const origin = `http://127.0.0.1:${port}`
    try {
      expect((await fetch(`${origin}/healthz`)).status).to.equal(200)
      const ready = await fetch(`${origin}/readyz`)
      expect([ready.status, await ready.json()]).to.deep.equal([
        200,
        { status: 'ok', mongodb: 'up', redis: 'up' },
      ])
      const samples = await scrape(origin)
      expect(samples.map(({ name }) => name)).to.include('nodejs_eventloop_lag_p99_seconds')
      expect(valueOf(samples, 'mongodb_up')).to.equal(1)
      const other = await fetch(`${origin}/api/v1/dev/intents`)
      expect(other.status).to.equal(404)
      expect(await other.json()).to.have.nested.property('error.code', 'ENDPOINT_NOT_FOUND')
      worker.kill('SIGTERM')
      expect(await worker.exited).to.equal(0)
    } finally {
      await worker.stop()
    }
  })

  it('count the log lines that may need action', () => {
    const heard: string[] = []
    const log = createLog('info', 'test', (level, line) => void heard.push(`${level} ${line}`))
    const quiet = Object.assign(log, { [pino.symbols.streamSym]: { write: () => true } })
    quiet.info({}, 'payment.settled')
    quiet.warn({ err: new Error('away') }, 'redis.unavailable')
    quiet.warn('web.full')
    quiet.child({}).error({}, 'payment.astray')
    expect(heard).to.deep.equal(['warn redis.unavailable', 'warn web.full', 'error payment.astray'])
  })

  it('are 0 before anything happens if an alert watches their increase', async () => {
    const beginning = samplesOf(await createMetrics().registry.metrics())
    for (const [level, lines] of Object.entries(watchedLines))
      for (const line of lines)
        expect(valueOf(beginning, 'log_lines_total', { level, line }), line).to.equal(0)
    const attemptsOf = (samples: Sample[]) =>
      samples
        .filter(({ name }) => name === 'payment_intents_webhook_attempts_total')
        .map(({ labels }) => Object.values(labels).join())
    // Those that were made above brought none on top.
    expect(attemptsOf(await now())).to.have.members(attemptsOf(beginning))
    for (const environment of ['live', 'test'])
      for (const stage of ['status', 'dns', 'timeout'])
        expect(
          valueOf(beginning, 'webhook_attempts_total', { outcome: 'dead', stage, environment }),
        ).to.equal(0)
  })

  it('report the oldest of too many open items, however late they are read again', async () => {
    const at = (ago: number) => new Date(service.clock.now().getTime() - ago)
    const template = await service.deps.Intent.findOne().lean<Intent>()
    const held = Array.from({ length: 1100 }, (_, index) => ({
      ...template,
      _id: `many${index}`,
      referenceNumber: `PI-many${index}`,
      shortCode: `many${index}`,
      codeKey: `live:m${index}`,
      refunds: [],
      outbox: [],
      hold: { startedAt: at(10_000), queryAt: at(-2_000) },
    }))
    const oldest = { startedAt: at(3_000_000), queryAt: at(-59_000) }
    await service.deps.Intent.collection.insertMany([
      ...held,
      { ...held[0], _id: 'old', referenceNumber: 'old', shortCode: 'old', codeKey: 'old', hold: oldest },
    ] as never)
    const samples = await later()
    expect(valueOf(samples, 'open_outcomes', { kind: 'payment' })).to.equal(1000)
    expect(valueOf(samples, 'oldest_open_outcome_seconds', { kind: 'payment' })).to.be.within(3060, 3075)
    await service.deps.Intent.deleteMany({ _id: /^(many|old)/ })
  })

  it('omit the memory limit of Redis if it has none', async () => {
    const client = new Redis(redis.url)
    await client.config('SET', 'maxmemory', '1gb')
    expect(valueOf(await later(), 'redis_memory_bytes', { kind: 'most' })).to.equal(2 ** 30)
    await client.config('SET', 'maxmemory', '0')
    const samples = await later()
    expect(valueOf(samples, 'redis_memory_bytes', { kind: 'most' })).to.equal(null)
    expect(valueOf(samples, 'redis_memory_bytes', { kind: 'used' })).to.be.greaterThan(0)
    client.disconnect()
  })

  it('respond within 2 s, without unknown values, while MongoDB is frozen and Redis is down', async () => {
    await mongo.kill('SIGSTOP')
    await redis.kill('SIGKILL')
    // Stored bytes are cached for ten minutes, all other values for less.
    service.clock.advance(600_000)
    const startedAt = performance.now()
    const samples = await later()
    expect(performance.now() - startedAt).to.be.lessThan(2500)
    expect([valueOf(samples, 'mongodb_up'), valueOf(samples, 'redis_up')]).to.deep.equal([0, 0])
    const told = [
      'mongodb_up',
      'redis_up',
      'process_clock_skew_seconds',
      // Of the workers that ran in this process before.
      'last_poll_timestamp_seconds',
      'attempts_in_flight',
      'endpoints_waiting',
    ].map((name) => `payment_intents_${name}`)
    const gauges = Object.values(createMetrics().gauges).map(
      (gauge) => (gauge as unknown as { name: string }).name,
    )
    const valued = new Set(samples.map(({ name }) => name))
    expect(gauges.filter((name) => valued.has(name))).to.have.members(told)
    expect(valueOf(samples, 'http_requests_total')).to.be.greaterThan(0)

    await mongo.kill('SIGCONT')
    await redis.restart()
    await waitFor('both again', async () => {
      const again = await later()
      return valueOf(again, 'mongodb_up') === 1 && valueOf(again, 'redis_up') === 1
    })
  })
})
