// Holds MongoDB's fsync lock for as long as its stdin is open, and not longer than it is told: whatever way a backup ends, kill -9
// included, the server takes writes again. MongoDB itself keeps the lock when the connection that asked for it is gone.
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import mongoose from 'mongoose'

/** MongoDB's IllegalOperation: it is not locked, as after a restart. */
const notLocked = 20
const tryAgainMs = 500

const { MONGODB_URL, LONGEST_MS } = process.env
const asked = once(process.stdin.resume(), 'end').then(() => 'asked')
// One connection, opened before: a locked server may keep a new one waiting for its password.
const client = new mongoose.mongo.MongoClient(MONGODB_URL, { directConnection: true, maxPoolSize: 1 })
const admin = client.db('admin')
await admin.command({ fsync: 1, lock: true })
// Who asked may be dead by now.
process.stdout.on('error', () => {})
process.stdout.write('locked\n')
const why = await Promise.race([asked, wait(Number(LONGEST_MS), 'too long', { ref: false })])
while (!(await unlock())) await wait(tryAgainMs)
await client.close()
process.exit(why === 'asked' ? 0 : 1)

async function unlock() {
  return admin.command({ fsyncUnlock: 1 }).then(
    () => true,
    (error) => error.code === notLocked,
  )
}
