import { linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'

// Stores an event. Returns false if it was stored before.
export function store(eventId, body) {
  mkdirSync('inbox', { recursive: true })
  const complete = `inbox.${process.pid}`
  writeFileSync(complete, body, { flush: true })
  try {
    linkSync(complete, `inbox/${encodeURIComponent(eventId)}`) // fails if the event was stored before
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(complete)
  }
}
