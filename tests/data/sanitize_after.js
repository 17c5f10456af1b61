const apiKey = "YOUR_API_KEY";
fetch("https://api.example.com/data", {
  headers: { "Authorization": `Bearer ${apiKey}` }
});
