import { randomUUID } from 'node:crypto'
import { linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'

// Stores an event under the id that `verifyWebhook` or the feed returned. Returns false if it was stored before.
export function store(eventId, body) {
  if (!/^[0-9a-f]{24}$/.test(eventId)) throw new TypeError('This is not the id of an event.')
  mkdirSync('inbox', { recursive: true })
  const complete = `inbox.${randomUUID()}`
  writeFileSync(complete, body, { flush: true, flag: 'wx' })
  try {
    linkSync(complete, `inbox/${eventId}`) // fails if the event was stored before
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(complete)
  }
}
