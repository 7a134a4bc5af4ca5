<?php
// $headers: getallheaders(). $rawBody: file_get_contents('php://input'). $now: time()
function verify(string $secret, array $headers, string $rawBody, int $now): bool
{
    $headers = array_change_key_case($headers);
    $timestamp = $headers['x-service-timestamp'] ?? '';
    if ($secret === '' || !preg_match('/^[0-9]{1,12}\z/', $timestamp) || abs($now - (int) $timestamp) > 300) {
        return false;
    }
    $expected = 'sha256=' . hash_hmac('sha256', "$timestamp.$rawBody", $secret);
    $given = ($headers['x-service-signature'] ?? '') . ',' . ($headers['x-service-signature-previous'] ?? '');
    foreach (explode(',', $given) as $one) {
        if (hash_equals($expected, trim($one))) {
            return true;
        }
    }
    return false;
}
