import * as fc from 'fast-check'
import { rounds } from '../support/machine.ts'
import { intents, withServiceAndMerchant } from '../support/service.ts'

const stored = () => fc.string({ unit: 'grapheme', maxLength: 60 }).filter((each) => !each.includes('\0'))

describe('Arbitrary input', () => {
  const { service, merchant } = withServiceAndMerchant()
  const post = (path: string, body: string) =>
    service.http.post(path).set(merchant.write()).type('json').send(body)

  it('is accepted if valid, and returned exactly as sent', () => {
    const metadata = fc.dictionary(
      stored().filter((key) => key !== '' && Array.from(key).length <= 64),
      stored(),
      { maxKeys: 5 },
    )
    return fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 1e9 }), stored(), metadata, async (amount, label, pairs) => {
        const sent = { amount, label, metadata: pairs }
        const created = await post(intents, JSON.stringify(sent))
        expect(created.status, created.text).to.equal(201)
        const path = `${intents}/${created.body.data.referenceNumber}`
        const read = await service.http.get(path).set(merchant.read())
        for (const { body } of [created, read])
          expect({
            amount: body.data.amount,
            label: body.data.label,
            metadata: { ...body.data.metadata },
          }).to.deep.equal({ ...sent, metadata: { ...pairs } })
      }),
      { numRuns: rounds(60, 10) },
    )
  })
})
