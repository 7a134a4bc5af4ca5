import { createRequire } from 'node:module'
import { expect } from 'chai'
import { mongo } from 'mongoose'
import { retryWhileUnreachable } from '../../src/mongo/connect.ts'
import { createLog } from '../../src/process/log.ts'

interface Judgement {
  isRetryableReadError(error: object): boolean
  isStateChangeError(error: object): boolean
}

const driver = createRequire(import.meta.resolve('mongoose'))('mongodb/lib/error.js') as Judgement
const highest = 20_000
const codes = Array.from({ length: highest }, (_, code) => code)
const passing = codes.filter((code) => {
  const error = { code, message: '' }
  return driver.isRetryableReadError(error) || driver.isStateChangeError(error)
})

describe('A process that starts before MongoDB', () => {
  const log = createLog('silent', 'web', null)

  /** How often it asks when the first answer is a fault. */
  async function asksAfter(fault: Error): Promise<number> {
    let asked = 0
    await retryWhileUnreachable(log, async () => {
      asked += 1
      if (asked === 1) throw fault
    })
    return asked
  }

  it('waits after every error code for which the driver would retry or look for another primary', async () => {
    expect(passing).to.include.members([91, 189, 11_602, 13_436])
    const asked = passing.map((code) =>
      asksAfter(new mongo.MongoServerError({ code })).catch(() => `ends at ${code}`),
    )
    expect(await Promise.all(asked)).to.deep.equal(passing.map(() => 2))
  })

  it('exits after any other error', async () => {
    // An index that differs, and a user who may not make it.
    for (const code of [85, 13]) {
      const fault = new mongo.MongoServerError({ code })
      expect(await asksAfter(fault).catch((error: unknown) => error)).to.equal(fault)
    }
  })
})
