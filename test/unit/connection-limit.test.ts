import { execFileSync } from 'node:child_process'
import { expect } from 'chai'
import { connectionLimit } from '../../src/http/server/network-share.ts'

describe('The maximum number of connections per process', () => {
  for (const [descriptors, most] of [
    [1_000_000, 10_000],
    [11_000, 10_000],
    [4_096, 3_096],
    [1_024, 512],
  ] as const)
    it(`is ${most} if the process may open ${descriptors} files`, () => {
      expect(connectionLimit(descriptors)).to.equal(most)
    })

  it('is 10 000 if the number of open files is unlimited', () => {
    expect(connectionLimit(Number.POSITIVE_INFINITY)).to.equal(10_000)
  })

  it("follows from the process's `ulimit`, and leaves file descriptors for other uses", () => {
    const program = `
      import { connectionLimit } from './src/http/server/network-share.ts'
      console.log(connectionLimit())`
    const run = `ulimit -n 1024 && exec "${process.execPath}" --input-type=module --eval "$1"`
    expect(execFileSync('sh', ['-c', run, 'sh', program], { encoding: 'utf8' })).to.equal('512\n')
  })
})
