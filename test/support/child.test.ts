import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { isAlive } from '../../dev/stack.ts'
import { waitFor } from './wait-for.ts'

const parentCode = `
const { killOnExit } = await import(${JSON.stringify(join(import.meta.dirname, 'child.ts'))})
const { spawn } = await import('node:child_process')
const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
killOnExit(child)
child.kill('SIGSTOP')
console.log(child.pid)
setInterval(() => {}, 1000)
`

describe('A child process started by a test', () => {
  it('ends when its parent process is killed, even if it is frozen', async () => {
    const parent = spawn(process.execPath, ['--input-type=module', '-e', parentCode], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [pid] = (await once(createInterface({ input: parent.stdout }), 'line')) as [string]
    expect(isAlive(Number(pid))).to.equal(true)
    parent.kill('SIGKILL')
    await waitFor('the child is gone', () => !isAlive(Number(pid)))
  })
})
