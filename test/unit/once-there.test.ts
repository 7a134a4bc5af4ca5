import { createRequire } from 'node:module'
import { mongo } from 'mongoose'
import { retryWhileUnreachable } from '../../src/mongo/connect.ts'
import { createLog } from '../../src/platform/log.ts'
import { servers } from '../support/servers.ts'

type ErrorChecks = Record<'isRetryableReadError' | 'isStateChangeError', (error: object) => boolean>

const driver = createRequire(import.meta.resolve('mongoose'))('mongodb/lib/error.js') as ErrorChecks
const codes = Array.from({ length: 20_000 }, (_, code) => code)
const retryable = codes.filter((code) => {
  const error = { code, message: '' }
  return driver.isRetryableReadError(error) || driver.isStateChangeError(error)
})

describe('A process that starts before MongoDB is available', () => {
  const log = createLog('silent', 'web', null)

  async function attemptsAfter(fault: Error): Promise<number> {
    expect(fault).to.be.an('error')
    let attempts = 0
    await retryWhileUnreachable(log, async () => {
      attempts += 1
      if (attempts === 1) throw fault
    })
    return attempts
  }

  it('reconnects after every error for which the driver would retry or look for another primary', async () => {
    expect(retryable).to.include.members([91, 189, 11_602, 13_436])
    const attempts = retryable.map((code) =>
      attemptsAfter(new mongo.MongoServerError({ code })).catch(() => `ends at ${code}`),
    )
    expect(await Promise.all(attempts)).to.deep.equal(retryable.map(() => 2))
  })

  it('reconnects if it waited too long for a free connection', async () => {
    const client = new mongo.MongoClient(servers.mongoUrl, { maxPoolSize: 1, waitQueueTimeoutMS: 1 })
    const sent = await Promise.allSettled(Array.from({ length: 100 }, () => client.db().command({ ping: 1 })))
    await client.close()
    const faults = sent.map((ping) => (ping.status === 'rejected' ? ping.reason : null))
    const late = faults.find((fault) => fault?.name === 'MongoWaitQueueTimeoutError')
    expect(await attemptsAfter(late)).to.equal(2)
  })

  it('exits on any error that the driver would not retry', async () => {
    // 85: the index exists with other options. 13: the user may not create it.
    for (const code of [85, 13]) {
      const fault = new mongo.MongoServerError({ code })
      expect(await attemptsAfter(fault).catch((error: unknown) => error)).to.equal(fault)
    }
  })
})
