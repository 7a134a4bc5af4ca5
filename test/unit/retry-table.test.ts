import { expect } from 'chai'
import { readConfig } from '../../src/config.ts'
import { waitAfter } from '../../src/webhooks/attempts/retry-wait.ts'

const seconds = 1000
const minutes = 60 * seconds
const hours = 60 * minutes
const table = [30 * seconds, 2 * minutes, 15 * minutes, 1 * hours, 4 * hours, 12 * hours, 24 * hours]

describe('The retry table', () => {
  const { webhookRetryMs: steps } = readConfig({
    MONGODB_URL: 'mongodb://127.0.0.1/pi',
    REDIS_URL: 'redis://127.0.0.1',
    SECRET_KEY: Buffer.alloc(32).toString('base64'),
  })

  it('lets Retry-After lengthen a wait to at most twice the usual length, but never shorten the wait', () => {
    table.forEach((step, index) => {
      const after = (retryAfterMs: number) => waitAfter(index + 1, steps, retryAfterMs / 1000)
      expect(after(0)).to.equal(step)
      expect(after(step - seconds)).to.equal(step)
      expect(after(step + seconds)).to.equal(step + seconds)
      expect(after(2 * step)).to.equal(2 * step)
      expect(after(2 * step + seconds)).to.equal(2 * step)
      expect(after(999_999_999 * seconds)).to.equal(2 * step)
    })
    expect(waitAfter(8, steps, 5)).to.equal(null)
  })
})
