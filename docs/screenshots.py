"""The screenshots of guides/pages.md, of a real service in a real browser; run by hand.

    python docs/screenshots.py

They are kept in static/screens/, so that building the site needs no browser.
"""

import json
import shutil
import subprocess
import sys
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from PIL import Image
from playwright.sync_api import sync_playwright

from privet import Scale, Survey, entropy

SCREENS = Path(__file__).parent / "static" / "screens"
QUESTION = "How do you get to work?"
ANSWERS = ["by bicycle", "by train or bus", "by car", "on foot", "I work at home"]
COMMUTE = Survey(QUESTION, ANSWERS, 1.0, id="commute")
AGE = Survey("How old are you?", Scale(0, 100, 51, "years"), 1.0, id="age")
WIDE, PHONE = {"width": 1000, "height": 700}, {"width": 375, "height": 720}


@contextmanager
def served():
    """Start a service with two surveys; yield its address and the token."""
    with TemporaryDirectory() as folder:
        token = Path(folder, "token")
        command = ["privet", "serve", "--store", f"{folder}/s.db", "--port", "0", "--json"]
        process = subprocess.Popen(
            [sys.executable, "-m", *command, "--token-file", token], stdout=subprocess.PIPE
        )
        try:
            yield json.loads(process.stdout.readline())["url"], token.read_text().strip()
        finally:
            process.terminate()
            process.wait()
            process.stdout.close()


def fill(url, request):
    """Bring two crowds."""
    rng = np.random.default_rng(7)
    crowds = {
        AGE: rng.normal(42, 15, 4000).clip(0, 100).tolist(),
        COMMUTE: rng.choice(ANSWERS, 3000, p=[0.33, 0.27, 0.2, 0.12, 0.08]).tolist(),
    }
    ours = {"Content-Type": "application/json", "Sec-Fetch-Site": "same-origin"}
    for number, (survey, answers) in enumerate(crowds.items()):
        request.post(f"{url}/surveys", data=survey.to_json(), headers=ours)
        reports = survey.randomize_batch(answers, entropy=entropy.seeded(number))
        raw = {"Content-Type": "application/octet-stream"}
        request.post(f"{url}/surveys/{survey.id}/reports", data=reports.tobytes(), headers=raw)


def save(page, name):
    """Write what is seen, in few colours, which makes a small file."""
    image = Image.open(BytesIO(page.screenshot())).convert("RGB")
    SCREENS.mkdir(exist_ok=True)
    image.quantize(64).save(SCREENS / f"{name}.png", optimize=True)


def main():
    """Take them all."""
    chromium = shutil.which("chromium")
    with served() as (url, token), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        admin = browser.new_page(viewport=WIDE)
        admin.goto(f"{url}/login")
        admin.get_by_label("token").fill(token)
        admin.keyboard.press("Enter")
        admin.get_by_text("Nothing has been asked yet").wait_for()
        fill(url, admin.request)
        admin.goto(f"{url}/new")
        admin.get_by_label("Question", exact=True).fill(QUESTION)
        admin.get_by_label("Answers, one a line").fill("\n".join(ANSWERS))
        admin.locator("#plan .big").wait_for()
        save(admin, "editor")
        admin.goto(url)
        save(admin, "dashboard")
        for name in ("commute", "age"):
            admin.goto(f"{url}/surveys/{name}/results")
            admin.get_by_text("people have answered").wait_for()
            save(admin, f"results-{name}")
        phone = browser.new_context(viewport=PHONE, locale="en").new_page()
        phone.goto(f"{url}/surveys/commute/answer")
        phone.get_by_label(ANSWERS[0]).check()
        save(phone, "answer")
        phone.get_by_role("button", name="Send").click()
        phone.get_by_text("Sent. Thank you!").wait_for()
        phone.get_by_role("button", name="Send").scroll_into_view_if_needed()
        phone.mouse.wheel(0, 500)
        phone.wait_for_timeout(300)
        save(phone, "answered")
        browser.close()


if __name__ == "__main__":
    main()
