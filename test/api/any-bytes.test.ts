import * as fc from 'fast-check'
import { deadlineMs, inFull, rounds } from '../support/machine.ts'
import { intents, withServiceAndMerchant } from '../support/service.ts'
import type { RawResponse } from './raw-request.ts'
import { connectTo, crlf, expectFailure, postHead, readToEnd, responsesOf } from './raw-request.ts'

const leaveAfterMs = 200
const asBytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'))
const separators = ['\r\n', '\n', '\r', '\0', ' ', '\t', ':', ',', ';', '-', '%', '\r\n\r\n', '0\r\n\r\n']
const fields = ['chunked', 'Content-Length: 3\r\n', 'Transfer-Encoding: chunked\r\n', 'X: 1\r\n']

/** Damage in transit: at one position, bytes are lost and others inserted. */
const damage = fc.record({
  request: fc.nat({ max: 3 }),
  thousandth: fc.noBias(fc.nat({ max: 999 })),
  lost: fc.nat({ max: 8 }),
  put: fc.oneof(
    fc.uint8Array({ maxLength: 6 }),
    fc.constantFrom(...separators.map(asBytes)),
    fc.constantFrom(...fields.map(asBytes)),
  ),
})

describe('A sequence of arbitrary bytes', () => {
  const { service, merchant } = withServiceAndMerchant()
  const requests = (): string[] => {
    const counted = `${postHead(intents, merchant.write(), 'Content-Length: 12')}{"amount":5}`
    const inChunks = postHead(intents, merchant.write(), 'Transfer-Encoding: chunked')
    const head = [`GET ${intents}?limit=1 HTTP/1.1`, 'Host: a', `Authorization: Bearer ${merchant.key}`]
    const read = crlf(...head, '', '')
    return [counted, inChunks + crlf('6', '{"amou', '6', 'nt":5}', '0', '', ''), read, counted + read]
  }

  async function responsesTo(bytes: Uint8Array): Promise<RawResponse[]> {
    const socket = await connectTo(service.origin)
    const received = readToEnd(socket)
    socket.write(bytes)
    const leaving = setTimeout(() => socket.end(), deadlineMs(leaveAfterMs))
    const wire = await received
    clearTimeout(leaving)
    return responsesOf(wire.toString('latin1'))
  }

  function expectOurs(responses: RawResponse[]): void {
    for (const response of responses) {
      expect(response.status, response.body).to.be.within(200, 499)
      if (response.headers.get('content-type')?.startsWith('text/')) continue
      const { success, error } = JSON.parse(response.body)
      if (success !== true) expectFailure(response, error.statusCode, error.code)
    }
  }
  const statusesOf = async (all: Uint8Array[]): Promise<number[]> => {
    const responses = await Promise.all(all.map(responsesTo))
    responses.forEach(expectOurs)
    await service.http.post(intents).set(merchant.write()).send({ amount: 5 }).expect(201)
    return responses.flatMap((some) => some.map(({ status }) => status))
  }
  const seeded = { seed: inFull(9, 8), endOnFailure: true }

  it('causes neither an internal error nor a malformed response if it is inserted into a valid request', async () => {
    const seen = new Set<number>()
    const some = fc.array(damage, { minLength: 50, maxLength: 50 })
    await fc.assert(
      fc.asyncProperty(some, async (all) => {
        const damaged = all.map(({ request, thousandth, lost, put }) => {
          const good = asBytes(requests()[request] ?? '')
          const begin = Math.floor((thousandth * good.length) / 1000)
          return Buffer.concat([good.subarray(0, begin), put, good.subarray(begin + lost)])
        })
        for (const status of await statusesOf(damaged)) seen.add(status)
      }),
      { ...seeded, numRuns: rounds(5, 2) },
    )
    expect([...seen]).to.include.members([200, 201, 400, 401, 404])
  })
})
