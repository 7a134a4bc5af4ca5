import { once } from 'node:events'
import type { Socket } from 'node:net'
import { createApp } from '../../src/app.ts'
import { maxBusinessBytes } from '../../src/limits/capacity.ts'
import { memoryPerBodyByte } from '../../src/limits/memory.ts'
import { intents, withAnotherKey, withMerchant, withServiceAndMerchant } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { connectTo, expectFailure, postHead, readToEnd, sendRaw } from './raw-request.ts'
import { expectRefused } from './refused.ts'
import { openServer, shortTimeouts } from './short-timeouts.ts'

const imports = '/api/v1/dev/store/products/import-csv?dryRun=true'
const largestFile = 8 * 1024 * 1024
const largestJson = 512 * 1024

describe('A large request body', () => {
  const { service, merchant } = withServiceAndMerchant()
  const others = Array.from({ length: 4 }, () => withMerchant(service))
  const open = new Set<Socket>()
  afterEach(async () => {
    for (const socket of open) socket.destroy()
    open.clear()
    await waitFor('the budget is free again', () => taken() === 0)
  })

  const taken = () => service.deps.capacity.used().memory
  const json = (bytes: number) => JSON.stringify({ amount: 5 }).padEnd(bytes)
  const csv = (bytes: number) => `handle,name,price\ntea,Thé,1250\n${'\n'.repeat(bytes)}`
  const refusals = async () => {
    const { values } = await service.deps.metrics.rateLimited.get()
    return values.find(({ labels }) => labels.scope === 'bodies')?.value ?? 0
  }
  const create = (body: string, by = merchant, headers = by.write(), path = intents) =>
    service.http.post(path).set(headers).type('json').send(body)
  const upload = (body: string, by = merchant, headers = by.write()) =>
    service.http.post(imports).set(headers).type('text/csv').send(body)

  const createInChunks = (origin: string, bytes: number) =>
    sendRaw(
      origin,
      postHead(intents, merchant.write(), 'Transfer-Encoding: chunked', 'Connection: close'),
      `${bytes.toString(16)}\r\n${json(bytes)}\r\n0\r\n\r\n`,
    )

  const openWeb = (deps = service.deps) => openServer(service, shortTimeouts, createApp(deps))
  async function begin(path: string, ...headers: string[]): Promise<Socket> {
    const socket = await connectTo(service.origin)
    socket.on('error', () => socket.destroy())
    open.add(socket)
    socket.write(postHead(path, merchant.write(), ...headers))
    return socket
  }
  const fill = ({ businessId } = merchant): (() => void) =>
    service.deps.capacity.force([businessId], { memory: maxBusinessBytes }).free
  const limit = (kind: keyof typeof memoryPerBodyByte) =>
    Math.floor(maxBusinessBytes / memoryPerBodyByte[kind])

  async function expectNoBudget(request: ReturnType<typeof create>, kind: keyof typeof memoryPerBodyByte) {
    const details = { scope: 'bodies', limit: limit(kind) }
    const { headers } = await expectRefused(request, 429, 'RATE_LIMITED', { details })
    expect(headers['retry-after']).to.equal('1')
  }

  it('is refused early if too many from the same business are already arriving', async () => {
    const before = await refusals()
    const headers = merchant.write()
    for (let n = 0; n < 3; n += 1) await begin(imports, `Content-Length: ${largestFile}`)
    await waitFor('their memory is reserved', () => taken() === 3 * largestFile * memoryPerBodyByte.csv)
    await expectNoBudget(upload(csv(largestFile / 2), merchant, headers), 'csv')
    const waiting = await begin(imports, 'Expect: 100-continue', `Content-Length: ${largestFile / 2}`)
    expect(String((await once(waiting, 'data'))[0])).to.match(/^HTTP\/1\.1 429 /)
    expect((await refusals()) - before).to.equal(2)
    expect((await upload(csv(10))).status).to.equal(200)
    for (const socket of open) socket.destroy()
    await waitFor('clients that disconnected released their memory', () => taken() === 0)
    expect((await upload(csv(20_000), merchant, headers)).status).to.equal(200)
  })

  it("uses only the sending business's share of memory, whichever API key is used", async () => {
    const free = fill()
    await expectNoBudget(upload(csv(20_000)), 'csv')
    await expectNoBudget(upload(csv(20_000), await withAnotherKey(service, merchant)), 'csv')
    expect((await upload(csv(20_000), others[0])).status).to.equal(200)
    free()
  })

  it("is refused with 503 while other businesses' bodies use all the memory", async () => {
    const frees = others.map(fill)
    expect((await upload(csv(20_000))).status).to.equal(503)
    for (const free of frees) free()
    expect((await upload(csv(20_000))).status).to.equal(200)
  })

  it('never causes a create request of up to 16 KiB to be refused', async () => {
    const free = fill()
    await expectNoBudget(create(json(16 * 1024 + 1)), 'json')
    expect((await create(json(16 * 1024))).status).to.equal(201)
    const [small] = await createInChunks(service.origin, 16 * 1024)
    expect(small?.status).to.equal(201)
    const [large] = await createInChunks(service.origin, 16 * 1024 + 1)
    expectFailure(large, 429, 'RATE_LIMITED')
    const details = { scope: 'bodies', limit: limit('json') }
    expect(JSON.parse(large?.body ?? '').error.details).to.deep.equal(details)
    free()
  })

  it('reserves memory for the maximum body size if it is chunked', async () => {
    const socket = await begin(intents, 'Transfer-Encoding: chunked', 'Connection: close')
    await waitFor('memory is reserved', () => taken() === largestJson * memoryPerBodyByte.json)
    const received = readToEnd(socket)
    socket.write('c\r\n{"amount":5}\r\n0\r\n\r\n')
    expect(String(await received)).to.match(/^HTTP\/1\.1 201 /)
    expect(taken()).to.equal(0)
  })

  it('reserves only its actual size once it has arrived', async () => {
    let most = 0
    const now = () => {
      most = Math.max(most, taken())
      return service.deps.now()
    }
    const { origin, close } = await openWeb({ ...service.deps, now })
    for (const bytes of [12, 20_000]) {
      const [response] = await createInChunks(origin, bytes)
      expect(response?.status).to.equal(201)
      expect(most).to.equal(bytes === 12 ? 0 : bytes * memoryPerBodyByte.json)
    }
    await close()
  })

  it('is removed from memory once it has been parsed, even if the connection stays open', async () => {
    const { origin, server, close } = await openWeb()
    const requested = once(server, 'request')
    const head = postHead(intents, merchant.write(), `Content-Length: ${largestJson}`, 'Connection: close')
    const [response] = await sendRaw(origin, head, json(largestJson))
    expect(response?.status).to.equal(201)
    const [request] = await requested
    expect(request.body).to.equal(undefined)
    await close()
  })

  it('releases its memory exactly once, however the request ends', async () => {
    const headers = merchant.write()
    const statuses = [
      await create(json(largestJson), merchant, headers),
      await create(json(largestJson), merchant, headers),
      await create(json(largestJson + 1)),
      await create(json(100_000).replace('5', '-5')),
      await create(json(100_000).replace('{', '[')),
      await service.http.post(intents).set(merchant.write()).type('text').send(json(100_000)),
      await create(json(100_000), merchant, { ...merchant.write(), 'Content-Encoding': 'gzip' }),
      await upload(`handle\n${'x,y\n'.repeat(10_000)}`),
      await create(json(100_000), merchant, merchant.write(), `${intents}/PI-1/cancel`),
    ].map(({ status }) => status)
    expect(statuses).to.deep.equal([201, 201, 413, 400, 400, 415, 415, 400, 404])
    const { origin, close } = await openWeb()
    const late = ['Content-Length: 100000', 'Transfer-Encoding: chunked'].map((framing) =>
      sendRaw(origin, postHead(intents, merchant.write(), framing), '5\r\n{"am'),
    )
    for (const [response] of await Promise.all(late)) expectFailure(response, 408, 'REQUEST_TIMEOUT')
    const chunked = postHead(intents, merchant.write(), 'Transfer-Encoding: chunked')
    const [malformed] = await sendRaw(origin, chunked, 'zz\r\n')
    expectFailure(malformed, 400, 'VALIDATION_ERROR')
    await close()
    await waitFor('all memory is released', () => taken() === 0)
  })
})
