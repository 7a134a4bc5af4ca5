import type { mongo } from 'mongoose'
import { readPageDocuments } from '../../src/lists/pagination.ts'
import { runInSlices } from '../../src/platform/in-slices.ts'
import { countLoopIterations } from '../support/count-loop-iterations.ts'

function compute(): void {
  const endsAt = performance.now() + 1
  while (performance.now() < endsAt);
}

describe('runInSlices', () => {
  it('yields to the event loop every few milliseconds during a long computation', async () => {
    expect(await countLoopIterations(() => runInSlices(Array(40), compute))).to.be.at.least(8)
  })
})

describe('readPageDocuments', () => {
  it('yields to the event loop every few milliseconds while reading many documents', async () => {
    let left = 40
    const cursor = {
      hasNext: async () => left > 0,
      readBufferedDocuments() {
        if (left === 0) return []
        compute()
        left -= 1
        return [{ _id: left }]
      },
      close: async () => undefined,
    } as unknown as mongo.FindCursor<{ _id: number }>
    const iterations = await countLoopIterations(async () =>
      expect(await readPageDocuments(cursor)).to.have.length(40),
    )
    expect(iterations).to.be.at.least(8)
  })
})
