<?php
// Stores an event under the id that `verifyWebhook` or the feed returned. Returns false if it was stored before.
function store(string $eventId, string $body): bool
{
    if (!preg_match('/^[0-9a-f]{24}\z/', $eventId)) {
        throw new InvalidArgumentException('This is not the id of an event.');
    }
    $folder = __DIR__ . '/inbox';
    @mkdir($folder);
    $complete = tempnam($folder, 'new');
    $file = fopen($complete, 'wb');
    $isWritten = fwrite($file, $body) === strlen($body) && fsync($file);
    $isNew = $isWritten && @link($complete, "$folder/$eventId"); // fails if the event was stored before
    unlink($complete);
    return $isNew || ($isWritten && is_file("$folder/$eventId") ? false : throw new RuntimeException('Not stored.'));
}
